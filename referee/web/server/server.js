// What served pages have beside their links: the switch between dark and light.

import { dressed, themeButton } from "./theme.js";

dressed();
document.querySelector(".top").append(themeButton());
