// Script of served pages: the button that switches between dark and light.

import { dressed, themeButton } from "./theme.js";

dressed();
document.querySelector(".top").append(themeButton());
