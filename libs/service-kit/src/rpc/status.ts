import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Metadata, status } from '@grpc/grpc-js';
import type { ServiceError as GrpcError, StatusObject } from '@grpc/grpc-js';
import { ErrorDetailSchema, isReason, isServiceError, ServiceError } from '@witan/contracts';
import type { ErrorDetail, Reason } from '@witan/contracts';

const ERROR_TRAILER = 'witan-error-bin';

const CODE_BY_REASON: Record<Reason, status> = {
  INVALID_REQUEST: status.INVALID_ARGUMENT,
  UNAUTHENTICATED: status.UNAUTHENTICATED,
  CALLER_REFUSED: status.PERMISSION_DENIED,
  INSUFFICIENT_SCOPE: status.PERMISSION_DENIED,
  INSUFFICIENT_QUOTA: status.RESOURCE_EXHAUSTED,
  RATE_LIMITED: status.RESOURCE_EXHAUSTED,
  NOT_FOUND: status.NOT_FOUND,
  CONFLICT: status.ABORTED,
  IDEMPOTENCY_KEY_REUSED: status.FAILED_PRECONDITION,
  METHOD_NOT_ALLOWED: status.UNIMPLEMENTED,
  REQUEST_TOO_LARGE: status.RESOURCE_EXHAUSTED,
  UNSUPPORTED_MEDIA_TYPE: status.INVALID_ARGUMENT,
  NOT_IMPLEMENTED: status.UNIMPLEMENTED,
  UNAVAILABLE: status.UNAVAILABLE,
  LEDGER_UNAVAILABLE: status.UNAVAILABLE,
  LOCAL_RUNTIME_UNAVAILABLE: status.UNAVAILABLE,
  PROVIDER_UNREACHABLE: status.UNAVAILABLE,
  PROVIDER_CREDENTIALS_REFUSED: status.FAILED_PRECONDITION,
  PROVIDER_INVALID_ANSWER: status.UNKNOWN,
  PROVIDER_TIMEOUT: status.DEADLINE_EXCEEDED,
  PROVIDER_STREAM_CUT: status.DATA_LOSS,
  CANCELLED: status.CANCELLED,
  DEADLINE_EXCEEDED: status.DEADLINE_EXCEEDED,
  INTERNAL: status.INTERNAL,
};

/** gRPC status codes that OpenTelemetry counts as server errors. */
const SERVER_ERRORS: ReadonlySet<status> = new Set([
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.UNIMPLEMENTED,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

export const isServerError = (reason: Reason): boolean => SERVER_ERRORS.has(CODE_BY_REASON[reason]);

const REASON_BY_CODE: Partial<Record<status, Reason>> = {
  [status.CANCELLED]: 'CANCELLED',
  [status.DEADLINE_EXCEEDED]: 'DEADLINE_EXCEEDED',
  [status.UNAVAILABLE]: 'UNAVAILABLE',
  [status.UNAUTHENTICATED]: 'CALLER_REFUSED',
  [status.RESOURCE_EXHAUSTED]: 'REQUEST_TOO_LARGE',
  [status.UNIMPLEMENTED]: 'NOT_IMPLEMENTED',
};

export const toPublicError = (error: unknown): ServiceError =>
  isServiceError(error)
    ? new ServiceError(error.reason, error.message, { fields: error.fields })
    : new ServiceError('INTERNAL', 'Something went wrong inside the service; see its log.');

export const toErrorDetail = (error: unknown): ErrorDetail => {
  const { reason, message, fields } = toPublicError(error);
  return create(ErrorDetailSchema, { reason, message, fields: { ...fields } });
};

export const fromErrorDetail = (detail: ErrorDetail): ServiceError =>
  new ServiceError(isReason(detail.reason) ? detail.reason : 'INTERNAL', detail.message, {
    fields: detail.fields,
  });

export const toGrpcStatus = (
  error: unknown,
): Pick<StatusObject, 'code' | 'details' | 'metadata'> => {
  const detail = toErrorDetail(error);
  const metadata = new Metadata();
  metadata.set(ERROR_TRAILER, Buffer.from(toBinary(ErrorDetailSchema, detail)));
  return { code: CODE_BY_REASON[detail.reason as Reason], details: detail.message, metadata };
};

export const fromGrpcError = (error: GrpcError): ServiceError => {
  const trailer = error.metadata?.get(ERROR_TRAILER)[0];
  if (trailer instanceof Uint8Array) return fromErrorDetail(fromBinary(ErrorDetailSchema, trailer));
  const reason = REASON_BY_CODE[error.code] ?? 'INTERNAL';
  return new ServiceError(reason, publicMessage(reason), { cause: error });
};

/**
 * Returns a message for the reason. The original messages of gRPC can contain hosts and ports and
 * must not be shown.
 */
const publicMessage = (reason: Reason): string => {
  if (reason === 'UNAVAILABLE') return 'A service that this call needs is not reachable.';
  if (reason === 'DEADLINE_EXCEEDED') return 'The call did not end before its deadline.';
  if (reason === 'CANCELLED') return 'The call was cancelled.';
  if (reason === 'REQUEST_TOO_LARGE') return 'A message was larger than the service accepts.';
  return 'A call between services failed.';
};
