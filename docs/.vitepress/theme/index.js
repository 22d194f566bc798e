// VitePress's own theme with system fonts, our colours, and two elements for Markdown: <Motion> and <Recipe>.
import DefaultTheme from "vitepress/theme-without-fonts";
import { h } from "vue";
import Motion from "./Motion.vue";
import Recipe from "./Recipe.vue";
import "./style.css";

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      "home-hero-image": () => h(Motion, { name: "ada-walk", label: "A person walks" }),
    }),
  enhanceApp({ app }) {
    app.component("Motion", Motion);
    app.component("Recipe", Recipe);
  },
};
