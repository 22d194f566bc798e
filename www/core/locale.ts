/**
 * Imported first: libraries pass `navigator.language` to `Intl`, which throws on names that are not languages, such
 * as "C".
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}
