const NAME_LENGTH_MAX = 128;

/**
 * Returns a value in a form that a header can contain: spaces, commas, percent signs and characters
 * outside ASCII are percent-encoded, and long values are truncated.
 */
export const toHeaderText = (value: string): string => {
  const text = value.toWellFormed().replaceAll(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
  return text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}...` : text;
};

export const toHeaderList = (values: readonly string[], max: number): string => {
  const named = values.slice(0, max).map(toHeaderText);
  return [...named, ...(values.length > max ? ['...'] : [])].join(', ');
};
