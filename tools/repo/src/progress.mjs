import process from 'node:process';

/** Returns to the first column and deletes the line. */
const CLEAR = '\r\u001B[K';

/**
 * Returns a line on `stream` that states what a program does now. At a terminal the line is
 * replaced by the next text; otherwise each text is a line of its own, and a repeated text is
 * written once. Plain JavaScript without dependencies, because the installation uses it.
 */
export function openProgress(stream = process.stderr) {
  let shown;
  const show = (text) => {
    if (text === shown) return;
    shown = text;
    const line = `witan: ${text}`;
    stream.write(stream.isTTY ? CLEAR + line.slice(0, columnsOf(stream)) : `${line}\n`);
  };
  return {
    show,
    /** Removes the line at a terminal, or replaces it by `text`, which stays. */
    end: (text) => {
      if (stream.isTTY && shown !== undefined) stream.write(CLEAR);
      if (text !== undefined) stream.write(`witan: ${text}\n`);
      shown = undefined;
    },
  };
}

/** One less than the width, because a full line would wrap and could not be deleted as one. */
const columnsOf = ({ columns }) => (columns || 80) - 1;
