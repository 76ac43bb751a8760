/** Marks the text of a failed tool call, for a dialect that has no member for it. */
export const markError = (text: string, isError: boolean): string => {
  if (!isError || /^error\b/i.test(text)) return text;
  return text === '' ? 'Error' : `Error: ${text}`;
};
