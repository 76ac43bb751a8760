/** What some local models think aloud in, before their answer. */
const OPENING = /^\s*<(think|thinking|thoughts?|reasoning)>/iu;

/** The tag of the thoughts that a text begins with. */
export const findThoughtTag = (text: string): string | undefined =>
  OPENING.exec(text)?.[1]?.toLowerCase();

/** What stands behind the thoughts that a text begins with; nothing as long as they go on. */
export const skipThoughts = (text: string): string => {
  const tag = findThoughtTag(text);
  if (tag === undefined) return text;
  const end = text.toLowerCase().indexOf(`</${tag}>`);
  return end === -1 ? '' : text.slice(end + tag.length + '</>'.length);
};
