import { Button } from 'react-aria-components/Button';
import { Icon } from './icon.tsx';
import css from './page.module.css';
import { notify, notifyError } from './toast.tsx';

/** Copies a text and says so. */
export const copyText = async (text: string, name: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
    notify(`Copied: ${name}`);
  } catch (error) {
    notifyError(error);
  }
};

type CopyableProps = { text: string; name: string; shown?: string };

/** A text in a fixed-width font with a button that copies it. */
export const Copyable = ({ text, name, shown = text }: CopyableProps) => (
  <span className={css.copyable}>
    <code>{shown}</code>
    <Button
      className={css.copy}
      aria-label={`Copy: ${name}`}
      onPress={() => void copyText(text, name)}
    >
      <Icon name="copy" size={14} />
    </Button>
  </span>
);
