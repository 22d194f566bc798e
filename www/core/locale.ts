/**
 * Replaces `navigator.language` if `Intl` does not accept it, such as "C": libraries pass it to `Intl`, which throws.
 * Must be imported first.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}
