/* global __SITE__ */
// VitePress's own theme with system fonts, our colours, and two elements for Markdown: <Motion> and <Recipe>.
import DefaultTheme from "vitepress/theme-without-fonts";
import { h } from "vue";
import Motion from "./Motion.vue";
import Recipe from "./Recipe.vue";
import "./style.css";

/** The demo lies above this site's own path, where links of the configuration cannot lead. */
const demo = () => h("a", { class: "demo-link", href: __SITE__, target: "_self" }, "Demo");

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      "nav-bar-content-after": demo,
      "nav-screen-content-after": demo,
      "home-hero-image": () => h(Motion, { name: "ada-walk", label: "A person walks" }),
    }),
  enhanceApp({ app }) {
    app.component("Motion", Motion);
    app.component("Recipe", Recipe);
  },
};
