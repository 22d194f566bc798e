/** Imported first: libraries hand `navigator.language` to `Intl`, which throws on names that are no language, such as "C". */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}
