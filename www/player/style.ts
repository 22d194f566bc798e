/**
 * Styles of the player element, for a constructed style sheet, which security policies on inline styles do not block.
 *
 * The view and the bar have fixed positions in the element, so that a page may change its `display`.
 * The empty status line stays displayed: screen readers may miss text in a status line that appears together with it.
 */
export const STYLE = /* css */ `
:host {
  display: block;
  position: relative;
  aspect-ratio: 16 / 10;
  min-height: 160px;
  overflow: hidden;
  border-radius: 8px;
  color-scheme: light dark;
  background: light-dark(#eceef2, #17191f);
  color: light-dark(#1b1e26, #e8ebf2);
  font: 13px/1.4 system-ui, sans-serif;
  contain: content;
}
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
:host([hidden]) { display: none; }
.stage { position: absolute; inset: 0; }
.stage:has(+ .controls:not([hidden])) { bottom: 44px; }
.stage canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; touch-action: pan-y; }
.stage p {
  position: absolute; inset: 0; margin: 0; display: grid; place-items: center; padding: 16px; text-align: center;
}
.stage p:empty { pointer-events: none; }
.controls {
  position: absolute; inset: auto 0 0; height: 44px; box-sizing: border-box;
  display: flex; align-items: center; gap: 8px; padding: 4px 10px 6px 6px; background: light-dark(#ffffff, #1f232b);
}
.controls[hidden] { display: none; }
button {
  width: 34px; height: 34px; padding: 6px; border: 0; border-radius: 6px; background: none; color: inherit;
  cursor: pointer;
}
button:hover:not(:disabled) { background: light-dark(#e8ebf1, #2f343f); }
svg { display: block; fill: currentColor; }
input { flex: 1; min-width: 0; accent-color: #2f6be0; }
.time { font-variant-numeric: tabular-nums; white-space: nowrap; color: light-dark(#525b6d, #a6afc0); }
:focus-visible { outline: 2px solid light-dark(#1f5fd6, #7fb0ff); outline-offset: -2px; }
`;
