// The rules for the JavaScript and CSS of the pages, and for the JavaScript of the kits. tsconfig.json has the type check.

import css from "@eslint/css";
import js from "@eslint/js";

export default [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    ...js.configs.recommended,
    files: ["**/*.js"],
    rules: {
      ...js.configs.recommended.rules,
      "no-undef": "off", // tsc knows what a browser has
      "no-control-regex": "off", // `plain` looks for control characters
      "no-unused-vars": ["error", { args: "none" }], // starters show what a function is given
      eqeqeq: "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
    },
  },
  {
    ...css.configs.recommended,
    files: ["**/*.css"],
    language: "css/css",
    rules: {
      ...css.configs.recommended.rules,
      "css/no-invalid-properties": ["error", { allowUnknownVariables: true }], // theme.css and scripts set them
      "css/no-important": "off", // `hidden`, calm motion and print override everything
      "css/use-baseline": "off", // tools.look shows the pages in a browser
    },
  },
];
