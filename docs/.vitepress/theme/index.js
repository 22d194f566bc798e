/* global __SITE__ */
// VitePress's default theme with system fonts, our colours, and two components for Markdown: <Motion> and <Recipe>.
import DefaultTheme from "vitepress/theme-without-fonts";
import { h } from "vue";
import Motion from "./Motion.vue";
import Recipe from "./Recipe.vue";
import "./style.css";

/** Creates the link to the demo. It is outside the path of this site, so the configuration cannot link to it. */
const demoLink = () => h("a", { class: "demo-link", href: __SITE__, target: "_self" }, "Demo");

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      "nav-bar-content-after": demoLink,
      "nav-screen-content-after": demoLink,
      "home-hero-image": () => h(Motion, { name: "ada-walk", label: "A person walks" }),
    }),
  enhanceApp({ app }) {
    app.component("Motion", Motion);
    app.component("Recipe", Recipe);
  },
};
