import { create } from '@bufbuild/protobuf';
import type { DescMethod, MessageInitShape } from '@bufbuild/protobuf';
import { FrameSchema } from '@witan/contracts';
import type { CallData, Frame } from '@witan/contracts';
import { toErrorDetail } from '../rpc/status.ts';

export type FrameKind = MessageInitShape<typeof FrameSchema>['kind'];

export const SESSION_ID = 0;

export const createFrame = (callId: number, kind: FrameKind): Frame =>
  create(FrameSchema, { callId, kind });

export const createData = (message: Uint8Array, more = false): CallData => ({
  $typeName: 'witan.rpc.v1.CallData',
  message,
  more,
});

/**
 * Creates a data frame, the most frequent kind, as an object literal, because `create` is too slow
 * for it.
 */
export const createDataFrame = (callId: number, data: CallData): Frame => ({
  $typeName: 'witan.rpc.v1.Frame',
  callId,
  kind: { case: 'data', value: data },
});

export const errorFrame = (callId: number, error: unknown): Frame =>
  createFrame(callId, { case: 'error', value: toErrorDetail(error) });

export const dataOf = ({ kind }: Frame): CallData | undefined => {
  if (kind.case === 'data') return kind.value;
  return kind.case === 'start' ? kind.value.data : undefined;
};

export const methodName = ({ parent, name }: DescMethod): string => `${parent.typeName}/${name}`;
