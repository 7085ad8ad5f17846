import { checked } from '../stage/performance.ts'
import type { Demo, Played, Round } from '../stage/performance.ts'
import { play, writeActs } from './acts.ts'
import type { Act } from './acts.ts'
import { readOptions, USAGE } from './options.ts'
import type { Options } from './options.ts'
import { setScene } from './scene.ts'
import type { Scene } from './scene.ts'
import { drawStory } from './story.ts'
import type { Story } from './story.ts'

/** A refund with an id that the model made up, with and without sparc. */
export const FINANCE: Demo<Options> = {
  usage: USAGE,
  readOptions,
  setUp: async (options) => {
    const story = drawStory()
    const scene = await setScene(story, options.judge)
    return {
      opening: [
        `Envoy ${scene.guard.envoy.version}; names, ids, amounts and wording of this run are drawn anew.`,
        options.judge === undefined
          ? 'For ibac judges a script of this demo, which looks only at intent: does the user want a refund?'
          : `For ibac judges ${options.judge.model}.`,
        options.reflectorEndpoint === undefined
          ? 'sparc reflects with its built-in rules.'
          : `sparc asks the service at ${options.reflectorEndpoint}.`,
      ],
      rounds: [{ opening: [], acts: actsOf(story, scene, options) }],
      keep: undefined,
      close: () => scene.close(),
    }
  },
}

function actsOf(story: Story, scene: Scene, options: Options): Round['acts'] {
  return writeActs(story, scene.judge, options).map((act) => ({ title: act.title, play: () => playAct(act, scene) }))
}

async function playAct(act: Act, scene: Scene): Promise<Played> {
  const outcome = await play(act, scene)
  const talk = outcome.turns.map(({ said, answer }) => ({ user: said, agent: answer }))
  return { talk, records: outcome.records, checks: checked(outcome, act.expected) }
}
