import type { Tone } from '../../../ui/page-state.tsx';
import type { Delivery, RetrySchedule, Webhook } from './webhooks-query.ts';

export const SCHEDULES: readonly { value: RetrySchedule; label: string }[] = [
  { value: 'standard', label: 'Standard: 3 attempts in 6 seconds' },
  { value: 'long', label: 'Long: 10 attempts in about 76 hours' },
];

export const describeState = ({
  isActive,
  disabledReason,
}: Pick<Webhook, 'isActive' | 'disabledReason'>): { label: string; tone: Tone } => {
  if (isActive) return { label: 'Active', tone: 'good' };
  return disabledReason === null
    ? { label: 'Paused', tone: 'neutral' }
    : { label: 'Disabled', tone: 'bad' };
};

const DELIVERY_STATES: Readonly<Record<Delivery['state'], { label: string; tone: Tone }>> = {
  pending: { label: 'Under way', tone: 'info' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
};

export const describeDelivery = ({ state }: Pick<Delivery, 'state'>) => DELIVERY_STATES[state];

const FAILURES: Readonly<Record<NonNullable<Delivery['error']>, string>> = {
  blocked_address: 'The address is not public, so nothing was sent',
  dns: 'The host name was not found',
  connect: 'No connection',
  tls: 'No valid TLS certificate',
  timeout: 'No answer within 10 seconds',
  http_status: 'Refused',
  response_too_large: 'The answer was too large',
};

type Attempted = Pick<Delivery, 'statusCode' | 'error' | 'retryCount' | 'state'>;

/** Returns the answer to the last attempt, such as "503: Refused". */
export const describeAnswer = ({ statusCode, error }: Attempted): string => {
  if (error === null) return statusCode === 0 ? 'No attempt yet' : String(statusCode);
  return statusCode === 0 ? FAILURES[error] : `${statusCode}: ${FAILURES[error]}`;
};

/** Returns how many attempts were made. */
export const countAttempts = ({ statusCode, error, retryCount }: Attempted): number =>
  statusCode === 0 && error === null ? 0 : retryCount + 1;
