/** Longest name in a list of a header, in characters. */
const NAME_LENGTH_MAX = 128;

/**
 * Anybody's words as part of a header: what a header or its list cannot carry is percent-encoded,
 * and what is long is cut.
 */
export const toHeaderText = (value: string): string => {
  const text = value.toWellFormed().replaceAll(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
  return text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}...` : text;
};

/** A list of such words, at most `max` of them. */
export const toHeaderList = (values: readonly string[], max: number): string => {
  const named = values.slice(0, max).map(toHeaderText);
  return [...named, ...(values.length > max ? ['...'] : [])].join(', ');
};
