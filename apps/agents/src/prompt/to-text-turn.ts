import { create } from '@bufbuild/protobuf';
import { TurnSchema } from '@witan/contracts';
import type { Turn } from '@witan/contracts';

export const toTextTurn = (role: 'user' | 'assistant', text: string): Turn =>
  create(TurnSchema, { role, parts: [{ part: { case: 'text', value: { text } } }] });
