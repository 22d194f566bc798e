/** Code of parts of the page that few visits need: it is fetched when such a part is first shown. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";

/**
 * Returns a function that returns the code, or `undefined` until it is there. The first call fetches it; then the page
 * is drawn again. A failure is shown as a notice.
 */
export function lazyCode<Code>(app: App, fetchCode: () => Promise<Code>): () => Code | undefined {
  let code: Code | undefined;
  let isRequested = false;
  return () => {
    if (!isRequested) {
      isRequested = true;
      fetchCode().then(
        (fetched) => {
          code = fetched;
          app.requestUpdate();
        },
        (error: unknown) =>
          app.notify(`A part of the page cannot be loaded: ${sentence(problemOf(error).message)}`, "error"),
      );
    }
    return code;
  };
}
