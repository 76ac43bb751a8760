import { Button } from './button.tsx';
import { Copyable } from './copyable.tsx';
import { DialogActions } from './dialog.tsx';
import { Notice } from './page-state.tsx';

type ShownOnceProps = {
  text: string;
  /** What the text is, such as "key". */
  name: string;
  onClose: () => void;
};

/** Shows a secret that the API returns once, in a persistent Dialog. */
export const ShownOnce = ({ text, name, onClose }: ShownOnceProps) => (
  <>
    <Notice tone="warn">
      Copy the {name} now. It cannot be shown again after this dialog is closed.
    </Notice>
    <Copyable text={text} name={name} />
    <DialogActions>
      <Button kind="primary" onPress={onClose} autoFocus>
        I have stored it
      </Button>
    </DialogActions>
  </>
);
