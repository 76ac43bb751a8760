const TITLE_LENGTH_MAX = 200;

/** Returns the first line of a message, shortened to the length that a title may have. */
export const toTitle = (message: string): string => {
  const [line = ''] = message.trim().split('\n', 1);
  const title = line.trim();
  return title.length <= TITLE_LENGTH_MAX ? title : `${title.slice(0, TITLE_LENGTH_MAX - 1)}…`;
};
