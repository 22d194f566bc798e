/** Icons of 20 × 20 units, drawn in the colour of the text. */
import { html, type TemplateResult } from "lit-html";

const PATHS = {
  play: "M6 4.5v11l9-5.5z",
  pause: "M6 4.5h3v11H6zM11 4.5h3v11h-3z",
  first: "M5 5h1.6v10H5zM15 5v10l-7-5z",
  last: "M13.4 5H15v10h-1.6zM5 5v10l7-5z",
  back: "M12.5 5v10L6 10z",
  forward: "M7.5 5v10l6.5-5z",
  loop: "M6 6h7.2V4L16.5 7l-3.3 3V8H7v3H5V7a1 1 0 0 1 1-1zm8 8H6.8v2L3.5 13l3.3-3v2H13V9h2v4a1 1 0 0 1-1 1z",
  seam: "M9.2 3h1.6v3H9.2zm0 4.6h1.6v4.8H9.2zm0 6.4h1.6v3H9.2zM3 9.2h4v1.6H3zm10 0h4v1.6h-4z",
  add: "M9.2 4h1.6v5.2H16v1.6h-5.2V16H9.2v-5.2H4V9.2h5.2z",
  minus: "M4 9.2h12v1.6H4z",
  undo: "M8.2 4.6 3.6 9l4.6 4.4V10.7c3.6 0 5.8 1 7.3 3.6-.2-4-2.4-7-7.3-7.2z",
  redo: "M11.8 4.6 16.4 9l-4.6 4.4V10.7c-3.6 0-5.8 1-7.3 3.6.2-4 2.4-7 7.3-7.2z",
  save: "M9.2 3h1.6v7l2.7-2.7 1.1 1.2L10 13.1 5.4 8.5l1.1-1.2L9.2 10zM4 14.4h12V16H4z",
  theme: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm0 1.6v10.8a5.4 5.4 0 0 1 0-10.8z",
  help:
    "M10 2.8a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.4zm-.9 11.4v-1.7h1.7v1.7zm1.7-3.1H9.2" +
    "c0-2.3 2.1-2.3 2.1-3.6 0-.7-.5-1.2-1.3-1.2s-1.3.5-1.4 1.3L7 7.4" +
    "C7.1 5.800 8.300 4.800 10 4.800s2.900 1 2.900 2.600c0 2-2.100 2.200-2.100 3.700z",
  up: "M10 5.5 15 11l-1.200 1.100L10 8l-3.800 4.100L5 11z",
  down: "M10 14.500 5 9l1.200-1.100L10 12l3.800-4.100L15 9z",
  copy: "M7 3h9v10h-3v4H4V7h3zm1.600 1.600V7H13v4.400h1.400V4.600zM5.600 8.600v6.800h5.800V8.600z",
  remove:
    "m5.600 4.500 4.400 4.400 4.400-4.400 1.100 1.100L11.100 10l4.400 4.400-1.100 1.100L10 " +
    "11.100l-4.400 4.400-1.100-1.100L8.900 10 4.500 5.600z",
  warn: "M10 3 1.800 17h16.400zm-.8 5h1.600v4.600H9.200zm0 5.600h1.600v1.600H9.200z",
  lock: "M6 8V6.500a4 4 0 0 1 8 0V8h1v8H5V8zm1.600 0h4.800V6.500a2.400 2.400 0 0 0-4.800 0z",
  book:
    "M3 4.500c2.500-.8 5-.6 7 .8 2-1.400 4.500-1.600 7-.8v10.700c-2.500-.8-5-.6-7 .8-2-1.400-4.500-1.600-7-.8" +
    "zm1.600 1.200v7.600c1.600-.3 3.200-.1 4.600.5V6.700c-1.300-.9-2.900-1.200-4.600-1zm10.800 0" +
    "c-1.700-.2-3.300.1-4.600 1v7.100c1.400-.6 3-.8 4.600-.5z",
  more:
    "M4 8.500a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3zm6 0a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3z" +
    "m6 0a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3z",
  fold: "M5.500 7.500 10 12l4.500-4.500z",
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** Renders an icon. It is hidden from screen readers, so its button needs a label. */
export const icon = (name: IconName): TemplateResult =>
  html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"
    focusable="false"><path d=${PATHS[name]} fill="currentColor"/></svg>`;
