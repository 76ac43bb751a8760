import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { DialogActions } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/page-state.tsx';

/** Shows the text of a new key, which the API returns once. */
export const NewKeyText = ({ keyText, onClose }: { keyText: string; onClose: () => void }) => (
  <>
    <Notice tone="warn">
      Copy the key now. It is not stored, so it cannot be shown again after this dialog is closed.
    </Notice>
    <Copyable text={keyText} name="API key" />
    <DialogActions>
      <Button kind="primary" onPress={onClose} autoFocus>
        I have stored it
      </Button>
    </DialogActions>
  </>
);
