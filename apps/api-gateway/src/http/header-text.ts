/** Longest name in a list of a header, in characters. */
const NAME_LENGTH_MAX = 128;

/**
 * Anybody's words as part of a header: what a header or its list cannot carry is percent-encoded,
 * and what is long is cut.
 */
export const toHeaderText = (words: string): string => {
  const text = words.toWellFormed().replaceAll(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
  return text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}...` : text;
};

/** A list of such words, at most `max` of them. */
export const toHeaderList = (words: readonly string[], max: number): string => {
  const named = words.slice(0, max).map(toHeaderText);
  return [...named, ...(words.length > max ? ['...'] : [])].join(', ');
};
