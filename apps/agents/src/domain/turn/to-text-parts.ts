import { create } from '@bufbuild/protobuf';
import { PartSchema } from '@witan/contracts';
import type { Part, Turn } from '@witan/contracts';

/**
 * A turn of a caller's own history without its tools, which the agent does not have: what they were
 * asked and what they said stands as text. Reasoning of another model is left out.
 */
export const toTextParts = (turn: Turn): Turn => ({
  ...turn,
  parts: turn.parts.flatMap(toWordParts),
});

const toWordParts = (one: Part): Part[] => {
  const { part } = one;
  if (part.case === 'reasoning') return [];
  if (part.case === 'toolCall')
    return [toText(`[called ${part.value.name}: ${part.value.arguments}]`)];
  if (part.case === 'toolResult') {
    const resultParts = part.value.parts.flatMap(toWordParts);
    return [toText('[what the tool answered:]'), ...resultParts];
  }
  if (part.case === 'refusal') return [toText(part.value.text)];
  return [one];
};

const toText = (text: string): Part =>
  create(PartSchema, { part: { case: 'text', value: { text } } });
