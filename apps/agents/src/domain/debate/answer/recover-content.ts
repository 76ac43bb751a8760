import { openContentReader } from './open-content-reader.ts';

const CONTENT = /"content"\s*:\s*"/u;

/**
 * The text of the first member `content` of a JSON object that cannot be read, as far as it was
 * written; empty when there is none.
 */
export const recoverContent = (raw: string): string => {
  const at = raw.search(CONTENT);
  if (at === -1) return '';
  let content = '';
  openContentReader((text) => (content += text)).push(`{${raw.slice(at)}`);
  return content;
};
