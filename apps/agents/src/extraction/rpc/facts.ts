import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ExtractedFactSchema } from '@witan/contracts';
import type { FactService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Fact, Facts } from '../facts.ts';

export const createFactHandlers = (facts: Facts): Handlers<typeof FactService> => ({
  listFacts: async ({ source, category, limit }, { workspaceId }) => {
    const found = await facts.list(workspaceId, { source, category, limit });
    return { facts: found.map(toFact) };
  },
  getFact: async ({ id }, { workspaceId }) => ({ fact: toFact(await facts.get(workspaceId, id)) }),
  deleteFact: async ({ id }, { workspaceId }) => {
    await facts.remove(workspaceId, id);
    return {};
  },
});

const toFact = ({ createdAt, ...fact }: Fact): MessageInitShape<typeof ExtractedFactSchema> => ({
  ...fact,
  createdAt: timestampFromDate(createdAt),
});
