import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components/Toast';
import { Text } from 'react-aria-components/Text';
import { describeError } from '../api/api-error.ts';
import { IconButton } from './button.tsx';
import css from './toast.module.css';

type Notice = { text: string; isBad: boolean };

const SHOWN_MAX = 3;
const SHOWN_MS = 6_000;

const queue = new ToastQueue<Notice>({ maxVisibleToasts: SHOWN_MAX });

/** Shows that something was done; screen readers announce it. */
export const notify = (text: string): void => {
  queue.add({ text, isBad: false }, { timeout: SHOWN_MS });
};

/** Shows what failed; the text stays until it is closed. */
export const notifyError = (error: unknown): void => {
  queue.add({ text: describeError(error), isBad: true });
};

export const Toasts = () => (
  <ToastRegion queue={queue} className={css.region}>
    {({ toast }) => (
      <Toast toast={toast} className={`${css.toast} ${toast.content.isBad ? css.bad : ''}`}>
        <ToastContent className={css.content}>
          <Text slot="title">{toast.content.text}</Text>
        </ToastContent>
        <IconButton slot="close" icon="close" label="Close this message" />
      </Toast>
    )}
  </ToastRegion>
);
