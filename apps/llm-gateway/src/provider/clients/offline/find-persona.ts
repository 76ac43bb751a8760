import type { Passage } from './read-conversation.ts';

const WORD = String.raw`[\p{Lu}\p{Lo}][\p{L}\p{N}’'-]{0,40}`;
/** Matches up to four name-like words before the end of a clause: "You are Ann Lee, ...". */
const PERSONA = new RegExp(String.raw`\b[Yy]ou are (${WORD}(?: ${WORD}){0,3})[,.]`, 'u');

export function findPersona(passages: readonly Passage[]): string {
  for (const { speaker, text } of passages) {
    const name = speaker === 'instructions' ? PERSONA.exec(text)?.[1] : undefined;
    if (name !== undefined) return name;
  }
  return '';
}
