import type { ReactNode } from 'react';
import { describeError } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';
import css from './page.module.css';

type EmptyStateProps = { icon: IconName; title: string; children: ReactNode; action?: ReactNode };

/** Shown instead of an empty list: says what the list is for and how to get a first entry. */
export const EmptyState = ({ icon, title, children, action }: EmptyStateProps) => (
  <div className={css.empty}>
    <span className={css.symbol}>
      <Icon name={icon} size={22} />
    </span>
    <h2>{title}</h2>
    <div>{children}</div>
    {action}
  </div>
);

type FailureProps = { error: unknown; onRetry?: () => void };

/** Shown instead of content that could not be loaded: says what failed and what to do. */
export const Failure = ({ error, onRetry }: FailureProps) => (
  <div className={`${css.empty} ${css.bad}`} role="alert">
    <span className={css.symbol}>
      <Icon name="warning" size={22} />
    </span>
    <h2>This could not be loaded</h2>
    <p>{describeError(error)}</p>
    {onRetry && (
      <Button icon="refresh" onPress={onRetry}>
        Try again
      </Button>
    )}
  </div>
);

/** Holds the place of content that is loading, with about its height. */
export const Skeleton = ({ lines = 6 }: { lines?: number }) => (
  <div className={css.skeleton} role="status">
    <span className="visually-hidden">Loading</span>
    {Array.from({ length: lines }, (_, index) => (
      <div key={index} className={css.bar} />
    ))}
  </div>
);

/** A dot that moves while something is being done; the text beside it says what. */
export const Pulse = () => <span className={css.pulse} />;

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info';

export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={css.badge} data-tone={tone}>
    {children}
  </span>
);

type NoticeProps = { tone?: 'info' | 'warn' | 'bad'; children: ReactNode };

export const Notice = ({ tone = 'info', children }: NoticeProps) => (
  <div className={css.notice} data-tone={tone} role={tone === 'bad' ? 'alert' : undefined}>
    <Icon name={tone === 'info' ? 'info' : 'warning'} />
    <div>{children}</div>
  </div>
);

/** Says what is wrong: a text or an error; nothing if it is null or undefined. */
export const Problem = ({ error }: { error: unknown }) =>
  error === undefined || error === null ? null : <Notice tone="bad">{describeError(error)}</Notice>;
