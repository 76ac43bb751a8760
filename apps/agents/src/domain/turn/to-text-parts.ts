import { create } from '@bufbuild/protobuf';
import { PartSchema } from '@witan/contracts';
import type { Part, Turn } from '@witan/contracts';

/**
 * Converts a turn of a caller's history, whose tools the agent does not have: tool calls and
 * results become text. Reasoning of another model is dropped.
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
