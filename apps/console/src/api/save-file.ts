/** How long the content stays in memory, which covers the start of every download. */
const RELEASE_AFTER_MS = 60_000;

/** Saves a body as a file of this name in the reader's folder for downloads. */
export const saveFile = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_AFTER_MS);
};
