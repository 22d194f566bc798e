/* global __SITE__ */
let asked;

/** Loads the element `<kinestitch-player>` as any page does: by a script tag. */
export function loadPlayer() {
  asked ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${__SITE__}kinestitch-player.js`;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`cannot load ${script.src}`));
    document.head.append(script);
  });
  return asked;
}
