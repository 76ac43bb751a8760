import { create } from '@bufbuild/protobuf';
import type { DescMethod, MessageInitShape } from '@bufbuild/protobuf';
import { FrameSchema } from '@witan/contracts';
import type { CallData, Frame } from '@witan/contracts';
import { toErrorDetail } from '../status.ts';

/** What a frame says. */
export type FrameKind = MessageInitShape<typeof FrameSchema>['kind'];

/** Frames about the session itself have this call id. */
export const SESSION_ID = 0;

export const createFrame = (callId: number, kind: FrameKind): Frame =>
  create(FrameSchema, { callId, kind });

/** A whole message, or a fragment of it that `more` follow. */
export const createData = (message: Uint8Array, more = false): CallData => ({
  $typeName: 'witan.rpc.v1.CallData',
  message,
  more,
});

/** The frame that there are most of; literals cost it less than `create` would. */
export const createDataFrame = (callId: number, data: CallData): Frame => ({
  $typeName: 'witan.rpc.v1.Frame',
  callId,
  kind: { case: 'data', value: data },
});

/** The frame that ends a call with a failure. */
export const errorFrame = (callId: number, error: unknown): Frame =>
  createFrame(callId, { case: 'error', value: toErrorDetail(error) });

/** The part of a frame that may be large, if it has one. */
export const dataOf = ({ kind }: Frame): CallData | undefined => {
  if (kind.case === 'data') return kind.value;
  return kind.case === 'start' ? kind.value.data : undefined;
};

/** The name that a start frame calls a method by. */
export const methodName = ({ parent, name }: DescMethod): string => `${parent.typeName}/${name}`;
