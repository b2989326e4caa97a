// Offers the headset where there is one.

import type { Notices } from '../panels/notice';
import type { Studio } from '../studio';
import type { Stage } from '../view/stage';
import { VrSession } from './session';

export interface VrOffer {
  enter(): Promise<void>;
  onOffer(listener: (offered: boolean) => void): void;
}

export function offerVr(stage: Stage, studio: Studio, notices: Notices): VrOffer {
  const listeners: ((offered: boolean) => void)[] = [];
  const look = async (): Promise<void> => {
    const offered = (await navigator.xr?.isSessionSupported('immersive-vr').catch(() => false)) ?? false;
    for (const listener of listeners) listener(offered);
  };
  navigator.xr?.addEventListener('devicechange', () => void look());
  return {
    onOffer(listener) {
      listeners.push(listener);
      void look();
    },
    async enter() {
      try {
        const session = await navigator.xr?.requestSession('immersive-vr', { optionalFeatures: ['local-floor', 'hand-tracking'] });
        if (!session) return;
        stage.renderer.xr.setReferenceSpaceType('local-floor');
        await stage.renderer.xr.setSession(session);
        new VrSession(stage, studio, session);
      } catch (error) {
        notices.tell('The headset did not start', error instanceof Error ? error.message : String(error));
      }
    },
  };
}
