import type { Point } from '../stats/ranks.ts'
import { percent } from '../words.ts'
import type { SuiteReport } from './report.ts'

const WIDTH = 720
const HEIGHT = 460
const LEFT = 62
const TOP = 46
const RIGHT = 24
const BOTTOM = 54
/** What is worth looking at: nobody keeps a judge that refuses every fifth call. */
const MOST_ALARMS = 0.2
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#6a3d9a', '#444444']
const DASHES = ['', '7 3', '2 3', '9 3 2 3']

const across = (alarms: number) => LEFT + (Math.min(alarms, MOST_ALARMS) / MOST_ALARMS) * (WIDTH - LEFT - RIGHT)
const up = (blocked: number) => HEIGHT - BOTTOM - blocked * (HEIGHT - TOP - BOTTOM)
const at = (value: number) => value.toFixed(1)

/** Injected writes blocked against false alarms, one curve a suite; a dot where the set threshold is. */
export function plotOf(suites: readonly SuiteReport[], title: string): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 24, title, 'font-size="15"'),
    ...grid(),
    ...suites.flatMap((suite, index) => curve(suite, index)),
    '</svg>',
    '',
  ].join('\n')
}

function grid(): readonly string[] {
  const parts = [0, 1, 2, 3, 4]
  return [
    ...parts.flatMap((part) => {
      const share = (part / 4) * MOST_ALARMS
      return [
        line(across(share), up(0), across(share), up(1)),
        text(across(share), HEIGHT - BOTTOM + 18, percent(share, 0), 'text-anchor="middle"'),
      ]
    }),
    ...parts.flatMap((part) => [
      line(across(0), up(part / 4), across(MOST_ALARMS), up(part / 4)),
      text(LEFT - 8, up(part / 4) + 4, percent(part / 4, 0), 'text-anchor="end"'),
    ]),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, 'legitimate writes denied', 'text-anchor="middle"'),
    text(
      0,
      0,
      'injected writes denied',
      `text-anchor="middle" transform="translate(16 ${at((TOP + HEIGHT - BOTTOM) / 2)}) rotate(-90)"`,
    ),
  ]
}

function curve({ suite, curve: points, writes }: SuiteReport, index: number): readonly string[] {
  const colour = COLOURS[index % COLOURS.length] ?? '#000000'
  const dash = DASHES[Math.floor(index / COLOURS.length) % DASHES.length] ?? ''
  const { falseAlarms, blocked } = writes
  const set = falseAlarms.value !== null && blocked.value !== null
  const label = `${suite}${set ? `: ${percent(blocked.value)} at ${percent(falseAlarms.value)}` : ': nothing to compare'}`
  const row = HEIGHT - BOTTOM - 14 - index * 18
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}" points="${pathOf(points)}"/>`,
    ...(set
      ? [`<circle cx="${at(across(falseAlarms.value))}" cy="${at(up(blocked.value))}" r="5" fill="${colour}"/>`]
      : []),
    `<rect x="${WIDTH - RIGHT - 236}" y="${row - 9}" width="14" height="10" fill="${colour}"/>`,
    text(WIDTH - RIGHT - 216, row, label),
  ]
}

/** As far as the picture reaches; the last piece is cut where it leaves it. */
function pathOf(points: readonly Point[]): string {
  const inside = points.filter(({ falseAlarms }) => falseAlarms <= MOST_ALARMS)
  const last = inside.at(-1)
  const next = points[inside.length]
  const cut = last !== undefined && next !== undefined ? [between(last, next)] : []
  return [...inside, ...cut]
    .map(({ falseAlarms, blocked }) => `${at(across(falseAlarms))},${at(up(blocked))}`)
    .join(' ')
}

function between(a: Point, b: Point): Point {
  const part = (MOST_ALARMS - a.falseAlarms) / (b.falseAlarms - a.falseAlarms)
  return { threshold: b.threshold, falseAlarms: MOST_ALARMS, blocked: a.blocked + part * (b.blocked - a.blocked) }
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}" stroke="#dddddd"/>`
}

function text(x: number, y: number, said: string, more = ''): string {
  return `<text x="${at(x)}" y="${at(y)}" fill="#222222" ${more}>${escaped(said)}</text>`
}

/** A suite's name comes from a file. */
function escaped(said: string): string {
  return said
    .replace(/[^\P{C}\n]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
