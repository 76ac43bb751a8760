import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { AgentSchema } from '@witan/contracts';
import type { Agent } from '../agent.ts';

export const toAgent = ({
  createdAt,
  updatedAt,
  ...agent
}: Agent): MessageInitShape<typeof AgentSchema> => ({
  ...agent,
  createdAt: timestampFromDate(createdAt),
  updatedAt: timestampFromDate(updatedAt),
});
