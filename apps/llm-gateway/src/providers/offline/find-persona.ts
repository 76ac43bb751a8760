import type { Passage } from './read-conversation.ts';

const WORD = String.raw`[\p{Lu}\p{Lo}][\p{L}\p{N}’'-]{0,40}`;
/** Up to four words that begin as names do, to the end of a clause: "You are Ann Lee, ...". */
const PERSONA = new RegExp(String.raw`\b[Yy]ou are (${WORD}(?: ${WORD}){0,3})[,.]`, 'u');

/** The name under which the instructions have the model answer; empty: none. */
export function findPersona(passages: readonly Passage[]): string {
  for (const { speaker, text } of passages) {
    const name = speaker === 'instructions' ? PERSONA.exec(text)?.[1] : undefined;
    if (name !== undefined) return name;
  }
  return '';
}
