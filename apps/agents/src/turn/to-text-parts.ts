import { create } from '@bufbuild/protobuf';
import { PartSchema } from '@witan/contracts';
import type { Part, Turn } from '@witan/contracts';

/**
 * Converts tool calls and results of a caller's history to text, because the agent does not have
 * these tools. Drops the reasoning of other models.
 */
export const toTextParts = (turn: Turn): Turn => ({
  ...turn,
  parts: turn.parts.flatMap(toPlainParts),
});

const toPlainParts = (one: Part): Part[] => {
  const { part } = one;
  if (part.case === 'reasoning') return [];
  if (part.case === 'toolCall')
    return [toText(`[called ${part.value.name}: ${part.value.arguments}]`)];
  if (part.case === 'toolResult') {
    const resultParts = part.value.parts.flatMap(toPlainParts);
    return [toText('[what the tool answered:]'), ...resultParts];
  }
  if (part.case === 'refusal') return [toText(part.value.text)];
  return [one];
};

const toText = (text: string): Part =>
  create(PartSchema, { part: { case: 'text', value: { text } } });
