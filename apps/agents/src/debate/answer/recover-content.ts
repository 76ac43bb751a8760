import { openContentReader } from './open-content-reader.ts';

const CONTENT = /"content"\s*:\s*"/u;

export const recoverContent = (raw: string): string => {
  const at = raw.search(CONTENT);
  if (at === -1) return '';
  let content = '';
  openContentReader((text) => (content += text)).push(`{${raw.slice(at)}`);
  return content;
};
