/** Number formats for display. */

/** Formats a time in seconds as minutes and seconds, such as "1:02.50". */
export const clockTime = (seconds: number): string => {
  const hundredths = Math.round(seconds * 100);
  const minutes = Math.floor(hundredths / 6000);
  const secondsText = ((hundredths - minutes * 6000) / 100).toFixed(2).padStart(5, "0");
  return `${minutes}:${secondsText}`;
};

/** Formats a duration in seconds, such as "1.5 s"; from one minute on as minutes and seconds. */
export const duration = (seconds: number): string => (seconds < 60 ? `${seconds.toFixed(1)} s` : clockTime(seconds));

/** Formats a frame rate with at most two decimals, such as "29.97 fps" or "30 fps". */
export const frameRate = (fps: number): string => `${Number(fps.toFixed(2))} fps`;

/** Created once, because `toLocaleString` creates a format with every call. */
const integerFormat = new Intl.NumberFormat("en");

/** Formats a number with its noun, such as "1 clip" or "2 clips". */
export const count = (number: number, singular: string, plural = `${singular}s`): string =>
  `${integerFormat.format(number)} ${number === 1 ? singular : plural}`;

/** Formats a length in metres as millimetres, such as "1.5 mm". */
export const millimetres = (metres: number): string => `${(metres * 1000).toFixed(metres < 0.01 ? 1 : 0)} mm`;

/** Formats a length in centimetres, such as "1.5 cm". */
export const centimetres = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} cm`;

/** Formats a jerk in m/s³, such as "120 m/s³" or "1.2 km/s³". */
export const jerk = (value: number): string =>
  value >= 1000 ? `${(value / 1000).toFixed(1)} km/s³` : `${value.toFixed(0)} m/s³`;
