import { create } from '@bufbuild/protobuf';
import { TurnSchema, invalidRequest } from '@witan/contracts';
import type { Part, TextPart, Turn } from '@witan/contracts';
import { expectList, expectObject, isAbsent } from '../json/json-value.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { gatherTurns } from '../neutral/gather-turns.ts';
import type { Draft } from '../neutral/gather-turns.ts';
import { decodeContent, decodeTexts } from './decode-content.ts';

type Role = 'user' | 'assistant';

/**
 * Decodes `system` and `messages` to instructions and turns of the neutral conversation. System
 * messages among `messages` are appended to the instructions. Adjacent messages of one role become
 * one turn, in which tool results come first. Throws INVALID_REQUEST with the path of an invalid
 * field.
 */
export const decodeTurns = (
  body: { system?: unknown; messages?: unknown },
  dropped: DroppedFields,
): { system: TextPart[]; turns: Turn[] } => {
  const system = isAbsent(body.system) ? [] : decodeTexts(body.system, 'system', dropped);
  const gathered = gatherTurns<Part, Role>(({ part }) => part.case === 'toolResult');
  for (const [position, item] of expectList(body.messages, 'messages').entries()) {
    const path = `messages[${position}]`;
    const message = expectObject(item, path);
    dropped.addUnknown(message, ['role', 'content'], path);
    const { role, content } = message;
    if (role === 'system') {
      for (const text of decodeTexts(content, `${path}.content`, dropped)) system.push(text);
    } else if (role === 'user' || role === 'assistant') {
      gathered.add(role, decodeContent(content, `${path}.content`, dropped));
    } else {
      const param = `${path}.role`;
      throw invalidRequest(`${param}: must be user, assistant or system.`, { param });
    }
  }
  if (gathered.drafts.length > 0) return { system, turns: gathered.drafts.map(toTurn) };
  throw invalidRequest('messages: must hold a user message that says something.', {
    param: 'messages',
  });
};

const toTurn = ({ role, results, others }: Draft<Part, Role>): Turn =>
  create(TurnSchema, { role, parts: [...results, ...others] });
