/* global __SITE__ */
let loading;

/** Loads the element `<kinestitch-player>` by a script tag, once. */
export function loadPlayer() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${__SITE__}kinestitch-player.js`;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`cannot load ${script.src}`));
    document.head.append(script);
  });
  return loading;
}
