import { create, toBinary } from '@bufbuild/protobuf';
import { DebateSynthesizedSchema } from '@witan/contracts';
import { writeFact } from '@witan/service-kit';
import type { Transaction } from '@witan/service-kit';
import type { Synthesis } from '../domain/debate/debate.ts';
import type { HeldDebate } from '../domain/debate/record/debate-store.ts';

/** Tells the world, if the transaction commits, what a council answered (Seed 6). */
export const tellSynthesized = async (
  em: Transaction,
  { workspaceId, conversationId, id: debateId }: HeldDebate,
  { content, convergenceScore, rounds }: Synthesis,
): Promise<void> => {
  const said = { conversationId, synthesis: content, debateId, convergenceScore, rounds };
  const message = create(DebateSynthesizedSchema, said);
  const payload = toBinary(DebateSynthesizedSchema, message);
  await writeFact(em, { workspaceId, type: 'debate.synthesized', payload });
};
