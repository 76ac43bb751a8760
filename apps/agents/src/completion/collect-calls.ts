import { addUsage } from './add-usage.ts';
import type { ModelEnding, TokenUsage } from './model-call.ts';

export const collectCalls = ({
  usage,
  proofId,
  repeated,
}: Pick<ModelEnding, 'usage' | 'proofId' | 'repeated'>): {
  usage: TokenUsage;
  proofIds: string[];
} =>
  repeated
    ? { usage: addUsage(repeated.usage, usage), proofIds: [repeated.proofId, proofId] }
    : { usage, proofIds: [proofId] };
