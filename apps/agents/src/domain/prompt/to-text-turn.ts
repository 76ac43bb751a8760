import { create } from '@bufbuild/protobuf';
import { TurnSchema } from '@witan/contracts';
import type { Turn } from '@witan/contracts';

/** A turn that is one text. */
export const toTextTurn = (role: 'user' | 'assistant', text: string): Turn =>
  create(TurnSchema, { role, parts: [{ part: { case: 'text', value: { text } } }] });
