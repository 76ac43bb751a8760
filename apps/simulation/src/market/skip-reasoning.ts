/**
 * Matches the opening tag of a reasoning block, which some local models write before the answer.
 */
const OPENING = /^\s*<(think|thinking|thoughts?|reasoning)>/iu;

export const findReasoningTag = (text: string): string | undefined =>
  OPENING.exec(text)?.[1]?.toLowerCase();

export const skipReasoning = (text: string): string => {
  const tag = findReasoningTag(text);
  if (tag === undefined) return text;
  const end = text.toLowerCase().indexOf(`</${tag}>`);
  return end === -1 ? '' : text.slice(end + tag.length + '</>'.length);
};
