"""English cue words: a tag and its wordings, separated by commas.

What each tag means for a question is told in ``scoring``; a wording may have several words, and the
longest that stands at a place counts. Words that are here are no names of topics.
"""

from __future__ import annotations

CUES = {
    "noise": """
        seen, see any, gain, gains, win, wins, notices, notice, squashed, use, used, using,
        can use, we can use, best, talk, talks, say, says, said, know if, roughly,
        approximately, happen to, supposed to, related prs, over there, so far, ago, as well,
        at least, thing that, kind, kinds, sort, sorts, list of, a list of, rest assured,
        all of, both of, else is, just, a, an, the, some, please, pls, plz, plis, plese, ok,
        okay, so, well, maybe, perhaps, quick, also, too, yet, now, already, anymore, any more,
        right now, ever, again, still working, could you, can you, would you, could you please,
        can you please, would you mind, do you mind, can i, could i, can we, could we, may i,
        i would like, i would like to know, i would like to see, i'd like, i'd like to know,
        i'd like to see, i'd love to know, i want, i want to know, i want to see, i need,
        i wonder, i was wondering, wondering, i'm curious, curious, i am curious,
        i am interested in, i'm interested in, i'm looking for, i am looking for,
        i'm trying to find, i'm trying to find out, i heard, i heard that, i think, i guess,
        i see, i believe, i read that, i noticed, it seems, it looks like, do you know,
        do you know if, do you know whether, do you happen to know, any idea, any idea if,
        any idea what, any idea whether, no idea, tell me, tell us, let me know, let us know,
        let me see, show me, show us, give me, give us, get me, send me, fetch me, bring me,
        find me, pull up, list out, list, lists, show, shows, display, give, get, see, view,
        print, present, look at, look into, check, check if, check whether, check what, me, us,
        for me, for us, we, our, ours, let's, lets see, if, whether, that, these, those, such,
        then that, when you have a minute, when you have time, when you get a chance,
        if you can, if possible, if any, a lot, lots of, a bunch of, a bit, kind of, sort of,
        btw, fyi, asap, by the way, guys, team, folks, everyone, everybody, all, bot, digestbot,
        dear, mate, buddy, or what, or not, or so, or something, at all, out there, there, here,
        anyone, anybody, someone, somebody, by anyone, by anybody, by someone, people, devs,
        developers, users, user, do we have, did we, have we, are we, were we, is there,
        are there, was there, were there, there any, there been, has there been,
        have there been, there is, there are, to, both, each, every, other, others, else, same,
        up with, come, coming along, coming, along, doing, going, gone on, currently going on,
        details, detail, info, information, full, complete, entire, whole, main, big picture,
        made, made it, make it in, make it into, got in, gotten in, get in, get into, got into,
        repo, repository, project, codebase, code base, the code, code, main branch, branch,
        upstream, default branch, in the code, part, area, module, component, side, subsystem,
        related, stuff, thing, things, everything, anything, something, nothing, bits, pieces,
        piece, ones, one, type, types, number, numbers, amount, count them, total, in total,
        altogether, overall, actual, possible, today's, official, very, much, many, few, couple,
        several, different, specific, certain, simple, plain, terms, words, language, only the,
        english please, hmm, hm, uh, um, oh, ah, hey can, wanna know, gimme, lemme see, dunno,
        sorry, excuse me, the deal with, deal with, story with, the story, scoop, point of,
        purpose of, goal of, idea behind, reason behind, about it, to care, need to care,
        i need to care, do i need to care, should i care, and do i need to care,
        do we need to care, need to worry, should i worry, worry about, my setup, my deployment,
        our setup, our deployment, my code, our code, landing page, timeframe, period, time,
        stretch, since then, period of time, time being, version number, number of
        """,
    "ask": """
        what, what's, whats, which, which one, which ones, how, how's, when, when's, where,
        whats the, what're, what is, what are, any, how come
        """,
    "aux": """
        is, are, was, were, be, been, being, am, do, does, did, done, have, has, had, having,
        got, gotten, gets, getting, can, could, would, should, may, might, must, need, needs,
        needed, want, wants, isn't, aren't, wasn't, didn't, doesn't, hasn't, haven't, don't,
        won't, can't, couldn't, shouldn't, let, become, became, becomes, it's, that's, there's,
        we've, we're, they've, supposed, able, seem, seems, doesnt, didnt, isnt, dont
        """,
    "neg": "not, no, never, none",
    "prep": """
        in, on, with, about, of, around, regarding, concerning, related to, at, into, within,
        across, for, from, as, over, under, through, via, per, than, up, out, off, until, till,
        up to, inside, throughout, pertaining to, with regard to, with respect to, in terms of,
        when it comes to, on the topic of, on the subject of, in the area of, relevant to,
        relating to, having to do with, involving, involve, involves, during, between, among,
        toward, towards, onto, against
        """,
    "by": """
        by, authored by, written by, made by, done by, committed by, merged by, contributed by,
        landed by, from author, author, authored, submitted by, pushed by, opened by
        """,
    "join": "and, or, /, &, plus, as well as, and/or, +",
    "it": """
        it, this, that one, this one, this change, that change, the change, this commit,
        that commit, this pr, that pr, the pr, the commit, this patch, its, of it, about this,
        about that
        """,
    "me": """
        i, my, mine, you, your, yours, whom, myself, yourself, i'm, i've, i'd, you're, then,
        bring, whose, u
        """,
    "other": """
        weather, rain, rains, raining, rainy, sunny, snow, joke, jokes, poem, poetry, song,
        story, recipe, lunch, dinner, breakfast, coffee, movie, movies, money, love, life,
        universe, sky, hair, king, fish, ball, friend, friends, wife, husband, boss, paper,
        office, president, ceo, cto, capital, stock, stocks, bitcoin, football, soccer,
        game tonight, music, mind, chance, phone, taste, good, ice, cake, pizza, cat, dog,
        birthday, holiday plans, traffic, flight, hotel, restaurant, price of, salary, old,
        roads, man, walk, walking, bread, meeting, election, horoscope, meaning of life,
        time is it, news about the world, homework, essay, translate, translation of, french,
        german, spanish, russian, japanese, italian, portuguese, korean, better, be better, war,
        world, country, girlfriend, boyfriend, marry, cook, doctor, medicine, lottery, shopping,
        shoes
        """,
    "future": "will, gonna, going to, shall, tomorrow's, roadmap, planned for, plans for",
    "foreign": """
        und, nicht, ist, das, die, der, den, dem, hat, sich, diese, dieser, woche, geändert,
        was hat, les, des, est, une, qui, que, los, las, del, el, en, por, para, con, ich, wer,
        wie, le, la, et, sur, dans, pour, il, di, che, esta, este, semana, cette, semaine,
        combien, quantos, quantas, quels, quelles, quoi, qué, cuales, cambios, cambió,
        changements, changé, änderungen, neu, neues, gibt, hoy, ayer, aujourd'hui, hier soir,
        gestern, heute, esto, nous, vous, ils, sont, avec, sans
        """,
    "todo": """
        merge, close, open, reopen, approve, deploy, install, uninstall, run, write, create,
        make, send, rebase, push, pull, build, delete, drop, kill, restart, shut down, shutdown,
        reboot, cherry-pick, cherry pick, squash, tag a, publish, assign, ban, kick, upload,
        download, buy, order, call, book, play, sing, draw, calculate, compute, solve, teach,
        format, wipe, execute, invite, remove the repository
        """,
    "change": """
        change, changes, changed, changing, update, updates, updated, updating, commit, commits,
        pr, prs, pr's, pull request, pull requests, merge request, merge requests, mr, mrs,
        merged, merges, merging, landed, lands, landing, land, new, newer, newest, newly,
        latest, recent, recently, recents, activity, activities, progress, going on,
        been going on, happening, happens, happen, has happened, what's up, whats up,
        what's cooking, cooking, modified, modify, modifies, modification, modifications,
        touched, touch, touches, touching, edited, edits, went in, went into, go in, went live,
        came in, come in, comes in, shipped, ship, ships, shipping, work, improvements,
        improvement, improved, improve, improves, improving, enhancement, enhancements,
        enhanced, evolved, evolve, evolving, developments, development, news, affect, affects,
        affected, affecting, impact, impacted, impacts, movement, moving, moved, refactor,
        refactored, refactoring, refactors, refactorings, rewrite, rewrites, rewrote, rewritten,
        reworked, rework, patches, commited, diffs, concern, concerns, tweak, tweaks, tweaked,
        difference, differences, different, been up to, up to lately, status of, state of,
        what's the status of, activity on, log, history, history of, timeline, in the works,
        evolution, latest on, latest in, going on with, up with, interesting, worth mentioning,
        of note, what happened in, what happened with, happened in, happened with,
        what has happened in, checked in, changelist, revisions, contributions, contribution,
        adjustments, adjusted
        """,
    "agent": """
        do, done, doing, work on, working on, worked on, works on, been working on, been up to,
        been doing, up to, contribute, contributed, contributes, contributing, contribute to,
        contributed to, committed, committing, commit to, committed to, wrote, write code,
        written, ship, shipped, shipping, authored, merge, merged, land, landed, push, pushed,
        maintains, maintain, maintaining, maintained, owns, own, owner, owner of, owners of,
        owns the, knows, knows about, know about, knows most about, know most about, expert,
        expert on, experts on, expert in, expert for, ask about, i ask about,
        should i ask about, should i ask, to ask about, to talk to about, responsible for,
        in charge of, behind, build, built, hack on, hacked on, hacking on, hacking, focused on,
        focus on, implemented, implement, delivered, been busy with, busy with, active,
        active in, active on
        """,
    "about": """
        what about, how about, everything about, anything about, all about, tell me about,
        tell us about, tell me more about, know about, hear about, something about, talk about,
        news about, thoughts on, a word on
        """,
    "happened": """
        happened, happened to, what happened, what's happened, whats happened,
        what has happened to, became of, become of, fate of, what happened to,
        what's happened to, what became of
        """,
    "digest": """
        digest, digests, summary, summaries, report, recap, overview, briefing, brief me,
        rundown, roundup, round-up, round up, run down, run-down, standup, stand-up, summarize,
        summarise, summarized, sum up, wrap up, wrap-up, wrapup, brief, newsletter, debrief,
        what happened, summarize the, synopsis, run through, bulletin, catch me up on,
        catch us up on, get me up to speed on, bring me up to speed on
        """,
    "digest:1": """
        daily digest, daily summary, daily report, daily, daily recap, daily overview,
        daily update
        """,
    "digest:7": """
        weekly digest, weekly summary, weekly report, weekly, weekly recap, weekly overview,
        weekly update, week in review, week's digest
        """,
    "digest:30": """
        monthly digest, monthly summary, monthly report, monthly, monthly recap,
        monthly overview, month in review
        """,
    "catchup": """
        vacation, holiday, holidays, pto, sick leave, been away for, was away for, away,
        offline, off sick, out of office, out of the office, parental leave, on leave, catch up,
        catch me up, catch us up, catch-up, what did i miss, what did we miss,
        what have i missed, what have we missed, did i miss, did we miss, i miss, i missed,
        we missed, have i missed, we miss, miss, missed, missed anything, while i was away,
        while i was gone, while i was out, while i was off, while i was on holiday,
        while i was on vacation, while i was on leave, while we were away, i was away,
        i was gone, i was out, i was off, i've been away, i have been away, been away,
        been offline, i was offline, i've been offline, i was on holiday, i was on vacation,
        i was on leave, i was sick, i've been out, i've been off, been on vacation,
        been on holiday, back from vacation, back from holiday, back from leave, just back,
        just got back, got back, i am back, i'm back, i just got back, fill me in, fill us in,
        bring me up to speed, get me up to speed, get up to speed, up to speed,
        bring me up to date, up to date, catching up, since i last looked, since i last asked,
        since i left, since i was here, since my last visit, i last looked, i last asked,
        i left, i was here, what's new since i was here, changes since i last looked,
        haven't looked, have not looked, haven't been around, not around, been asleep,
        away from keyboard
        """,
    "fulltext": """
        search, search for, searching, searching for, grep, grep for, full text, full-text,
        search the history for
        """,
    "search": """
        search, search for, searching, searching for, find, find all, grep, grep for, look up,
        lookup, look for, full text, full-text, search the history for, query
        """,
    "mention": """
        mention, mentions, mentioning, mentioned, contain, contains, containing, saying, says,
        with the text, with the words, that say, referencing, reference to, references to,
        refer to, refers to, referring to
        """,
    "explain": """
        explain, explains, describe, describes, walk me through, walk through, analyze, analyse,
        elaborate on, clarify, break down, breakdown of, what does, mean, means, meant,
        about what, is about, in detail, in depth, in a nutshell, details of, details on,
        details about, summary for, eli5, dive into, deep dive, help me understand, understand,
        understanding, tldr of, what's the point of, background on, info on
        """,
    "why": """
        how important, how critical, how significant, how big a deal, how severe,
        what is the rating of, what's the rating of, rating of, level of, why, why's, how come,
        reason for, what makes, why so, for what reason, but why, why did
        """,
    "graded": """
        rated, graded, ranked, marked, classified, labelled, labeled, flagged, scored,
        considered, listed, rating, grade, score, ranking, rate, in the digest, like that,
        that way, only, so high, so low, this high
        """,
    "risk": """
        risk, risks, risky, safe, dangerous, danger, safety, hazard, what could go wrong,
        what can go wrong, what might go wrong, go wrong, goes wrong, could go wrong, harmful,
        safe to, how risky, could break, can break, might break, may break, would break,
        will break, should i be worried, affect me, affects me, affect us, affects us,
        impact me, impact us, bite me, bite us, hurt me, hurt us, break my setup,
        break our setup, break my, break our, break me, break us, regress
        """,
    "remedy": """
        how do i fix, how can i fix, how do we fix, how should i fix, how do i migrate,
        how do i migrate to, how do i migrate from, how do i adapt, how do i adapt to,
        how do i handle, what should i do, what should we do, what do i do, what do we do,
        what must i do, what can i do, what do i need to do, what should i do about, how to fix,
        how to migrate, how to adapt, need to do, what action, action needed
        """,
    "review": """
        reviewed, review, reviewer, reviewers, approved, approver, approvers, reviewing,
        signed off, signed off on, looked at, looked over, lgtm, reviews, has reviewed,
        gave approval, who approved
        """,
    "wrote": """
        author, wrote, author of, the author, made, did, authored, created, is the author of,
        who's the author, who is the author, came up with, responsible for, submitted, opened,
        committed, did this, coded, the author of, wrote it
        """,
    "diff": """
        the code of, code of, the code for, code for, the code in, actual changes,
        the actual changes, line by line, changed lines of, diff, the diff, diff of, diff for,
        diffs of, show the diff, code changes, the code changes, the patch, patch of, patch for,
        show patch, code diff, changed lines, lines changed, actual code, the lines,
        changed in the code, source changes, changes in code, hunks
        """,
    "compare": """
        difference, differences, compare, comparing, comparison, comparison of, compared,
        compared to, versus, vs, vs., difference between, differences between,
        different between, diff between, delta between, what separates
        """,
    "notes": """
        release notes, changelog, change log, release note, changelogs, release announcement
        """,
    "upgrade": """
        upgrade, upgrading, upgrade to, upgrade from, updating from, updating to, update from,
        update to, update our, migrating, migrate, moving from, moving to, move from, move to,
        migration, migrating from, migrating to, switch from, switch to, switching to,
        going from, go from, jump from, jump to, bump from, bumping from, upgrade path,
        upgrade notes
        """,
    "kind:breaking": """
        breaking, break, breaks, broke, broken, breakage, breakages, break anything,
        breaking changes, breaking change, breakers, backward incompatible,
        backwards incompatible, backward-incompatible, backwards-incompatible, incompatible,
        incompatibility, incompatibilities, api breaks, compat breaks, compatibility, watch out,
        watch out for, watch for, look out for, be careful, careful, gotchas, gotcha, pitfalls,
        pitfall, caveats, caveat, stops working, stopped working, stop working, no longer works,
        no longer work, users notice
        """,
    "trouble": """
        problem, problems, issue, issues, trouble, troubles, outage, wrong, goes wrong with,
        went wrong
        """,
    "kind:security": """
        security, secure, vulnerability, vulnerabilities, cve, cves, exploit, exploits,
        security fix, security fixes, security hole, security holes, security issues,
        security issue, security patches, security-related, security relevant, security bugs,
        advisory, advisories, vuln, vulns, ghsa, hardening
        """,
    "kind:deprecations": """
        deprecation, deprecations, deprecated, deprecate, deprecates, deprecating, obsolete,
        obsoleted, phased out, sunset, sunsetted, being phased out, marked as deprecated,
        marked deprecated, marked for removal
        """,
    "kind:reverts": """
        revert, reverts, reverted, reverting, rollback, rollbacks, rolled back, roll back,
        roll backs, rolling back, backed out, back out, undone, undo, undid, backouts,
        taken back, pulled back, reversed
        """,
    "kind:feature": """
        feature, features, new feature, new features, feat, feats, functionality, capabilities,
        capability, new functionality, feature work, new capabilities, new stuff we can use
        """,
    "kind:performance": """
        performance, perf, faster, speed, speedup, speedups, speed-up, speed-ups, speed ups,
        sped up, speed up, speeds up, optimization, optimizations, optimisation, optimisations,
        optimized, optimised, optimize, optimizing, quicker, performance improvements,
        performance work, perf wins, performance wins, perf improvements, perf work, got faster,
        gets faster, became faster, speed improvements, made faster, performance gains,
        speed gains, accelerated, performance optimizations, performance changes, perf changes,
        perf prs
        """,
    "kind:fix": """
        fix, fixes, fixed, fixing, bugfix, bugfixes, bug fix, bug fixes, bug, bugs, hotfix,
        hotfixes, bug-fix, bug-fixes, squashed bugs, resolved, resolve, resolves, repaired,
        bugs fixed, fixed bugs, were fixed, was fixed, patched, corrected, crash fixes, solved,
        addressed
        """,
    "kind:dependencies": """
        dependency, dependencies, deps, dep, dependency updates, dependency update,
        dependency bumps, dependency upgrades, crates, crate, third party, third-party,
        third-party packages, third party packages, libraries, go modules, npm packages,
        python packages, requirements, dependency versions, dependency changes, packages,
        package versions, pinned versions, lockfile
        """,
    "bump": """
        bump, bumps, bumped, bumping, upgraded, upgrades, pinned, unpinned, pin, downgraded,
        downgrade, upgraded to, bumped to, updated to, pinned to, moved to, require, requires,
        required, version of, which version of, what version of, version
        """,
    "thing:flag": """
        flag, flags, command line flag, command line flags, command-line flag,
        command-line flags, cli flag, cli flags, cli option, cli options, command line option,
        command line options, command-line options, command-line option, command line arguments,
        command-line arguments, command line argument, cli argument, cli arguments, cli args,
        option, options, switches, argument, arguments, args, parameter, parameters, params,
        engine args, engine arguments, startup flags, server flags
        """,
    "thing:environment": """
        environment variable, environment variables, env variable, env variables, env var,
        env vars, envvar, envvars, envs, environment vars, env, environment,
        environment settings, variable, variables
        """,
    "thing:config": """
        config option, config options, config key, config keys, config setting, config settings,
        configuration option, configuration options, configuration key, configuration keys,
        configuration setting, configuration settings, config field, config fields,
        configuration fields, configuration field, setting, settings, config knobs, knob, knobs,
        configs, fields
        """,
    "thing:route": """
        route, routes, endpoint, endpoints, api endpoint, api endpoints, http endpoint,
        http endpoints, http route, http routes, rest endpoints, rest endpoint, api route,
        api routes, http api, urls
        """,
    "thing:metric": """
        metric, metrics, prometheus metric, prometheus metrics, gauge, gauges, counters,
        histograms, exported metrics
        """,
    "thing:symbol": """
        api, apis, public api, public apis, function, functions, class, classes, method,
        methods, symbol, symbols, interface, interfaces, python api
        """,
    "thing:dependency": "dependency version, version pin, pins",
    "act:added": """
        added, add, adds, adding, introduced, introduce, introduces, introducing, brand new,
        brand-new, addition, additions, new ones, appeared, created
        """,
    "act:removed": """
        removed, remove, removes, removing, dropped, drops, dropping, deleted, deletes,
        deleting, gone, disappeared, disappear, vanished, went away, go away, gone away,
        eliminated, killed, removal, removals, got rid of, get rid of, thrown out,
        no longer exist, no longer exists, no longer there, no longer supported, taken out,
        ripped out, retired, missing, lost, cleaned up, axed, nuked
        """,
    "act:renamed": "renamed, rename, renames, renaming, name changed, new name, new names",
    "history": """
        still there, still exist, still exists, still available, still supported, still around,
        still valid, still works, still work, still used, still present, still usable,
        still in use, still needed, still, exist, exists, existing, available, around,
        supported, support, in use, usable, since when, how long, how long have we had,
        first appear, first appeared, first added, come from, came from, came, come in,
        introduced in, appear, when did, when was, origin of, who added, which version,
        what version, which release, what release, first time, first introduced, no longer,
        replaced, replaced by, replacement, replacement for, superseded, superseded by,
        instead of, work, works, kept, alive, dead, when did we get
        """,
    "default": """
        default, defaults, default value, default values, default setting, default settings,
        by default, default of, the default, default behaviour, default behavior
        """,
    "level:high": """
        aware of, be aware of, should be aware of, heads up, heads-up, must read, must-read,
        must see, level high, important, importance, high, high importance, high impact,
        high priority, high-impact, high-priority, high level, high-level importance, major,
        critical, significant, notable, noteworthy, biggest, largest, most important,
        most significant, key, big, riskiest, most risky, most dangerous, most critical,
        most impactful, impactful, highlights, highlight, tl;dr, tldr, crucial, essential,
        serious, urgent, big changes, big ones, have to know, need to know, must know,
        should know, should i know, should i know about, i need to know, i have to know,
        do i need to know, do i have to know, i should know, we need to know, i must know,
        need to know about, have to know about, really matter, really matters, matters, matter,
        matters most, worth knowing, worth reading, worth a look, worth my time,
        pay attention to, pay attention, attention to, big deal, headline, headlines,
        top changes, main changes, main points, key points, key takeaways, takeaways, stand out,
        stands out, stood out, game changer, top, high ones
        """,
    "level:medium": """
        level medium, medium, moderate, medium importance, medium impact, medium and above,
        at least medium, medium or higher, medium level, medium priority
        """,
    "level:low": """
        level low, low, minor, trivial, low importance, low impact, small, tiny, low level,
        low priority
        """,
    "count": """
        how busy, how active, how quiet, busy, how productive, how many, count, counts,
        number of, how much, total number of, how often, the number of, statistics, stats
        """,
    "per:day": """
        per day, by day, each day, every day, a day, daily counts, daily numbers, day by day,
        per weekday, on each day, over time, daily count, for each day
        """,
    "per:author": """
        per author, by author, per person, by person, per contributor, by contributor,
        per committer, by committer, per developer, by developer, each author, for each author,
        each contributor, per user, broken down by author, grouped by author, author breakdown,
        by each author, leaderboard
        """,
    "per:file": """
        which folders, which directories, what folders, which modules, which parts,
        which packages, which areas, what areas, most touched areas, per file, by file,
        each file, every file, hot files, hotfiles, hot spots, hotspots, hotspot, churn,
        most churn, files, file, files change, files changed, which files, what files, folders,
        directories, folder, directory, per folder, by folder, per directory, by directory,
        modules
        """,
    "most": """
        most, the most, most often, most frequently, most active, often, frequently,
        biggest contributors, more than once, most of the, most changes, most commits, top,
        most changed, most touched, most edited, most modified
        """,
    "contributors": """
        how many people, how many contributors, how many authors, how many developers,
        how many devs, how many committers, new contributors, first time contributors,
        first-time contributors, contributors, contributor, committers, committer, authors,
        top contributors, top contributor, top authors, top committers, main contributors,
        active contributors, active developers, most active contributors,
        most active contributor, most active developers, most active developer,
        most active author, most active authors, most active people, top developers,
        main authors
        """,
    "who": """
        who, who's, whos, who is, who has, who did, who are, who was, who were, who all,
        who else, which people, which developers, which person, which developer, which author,
        which authors, which contributors, which contributor
        """,
    "latest": "latest release, last release",
    "releases": """
        releases, release, released, versions, tags, tagged, tag, cut, published, release date,
        come out, came out, out
        """,
    "more": """
        more, show more, next, next page, more please, see more, the rest, rest, rest of it,
        rest of them, continue, go on, keep going, carry on, tell me more of them,
        show the rest, list more
        """,
    "shorter": """
        shorter, short, briefer, make it shorter, more concise, concise, less detail, in short,
        tl;dr please, too long, shorten, in one line, one line, one-line, one liner, one-liner,
        in a line, in one sentence, one sentence, in a sentence, in a few words,
        in two sentences, in brief, briefly, condensed, keep it short, very short, succinct,
        succinctly, a bit shorter, be brief, be concise, even shorter, much shorter,
        less verbose, short version, the short version, in a few lines, in three lines,
        in two lines, in three bullets, in bullet points, in bullets
        """,
    "longer": """
        longer, more detail, more details, in more detail, in full detail, in full,
        in detail please, elaborate, tell me more, more detailed, make it longer, a bit longer,
        in greater detail, more verbose, expand, expand on it, expand on this, be more specific,
        long version, the long version, full version, give me more detail
        """,
    "lang:zh": """
        in chinese, to chinese, chinese, in mandarin, mandarin, into chinese, back to chinese,
        in chinese please, answer in chinese, switch to chinese, translate to chinese,
        translate into chinese, go back to chinese, chinese please, reply in chinese,
        say it in chinese, in zh, speak chinese
        """,
    "lang:en": """
        in english, to english, english, into english, back to english, in english please,
        answer in english, switch to english, translate to english, translate into english,
        go back to english, english please, reply in english, say it in english, in en,
        speak english
        """,
    "only": """
        just, only, just the, only show, show only, only the, filter, limit to, restrict to,
        only those, narrow to, narrow down to, just show
        """,
    "again": """
        and, what about, how about, and what about, and how about, same for, the same for, same,
        and for, and in, and on, same thing for, same question for, and also, same but for,
        and how
        """,
    "nth:1": """
        first, first one, 1st, the first, the first one, first change, first item, first entry,
        first pr, first commit, first result, number one, number 1, no. 1, #1 in the list,
        top one
        """,
    "nth:2": """
        second, second one, 2nd, the second, the second one, second change, second item,
        second entry, second pr, second commit, second result, number two, number 2
        """,
    "nth:3": """
        third, third one, 3rd, the third, the third one, third change, third item, third entry,
        third pr, third commit, third result, number three, number 3
        """,
    "nth:4": """
        fourth, fourth one, 4th, the fourth one, fourth change, fourth item, number four,
        number 4
        """,
    "nth:5": """
        fifth, fifth one, 5th, the fifth one, fifth change, fifth item, number five, number 5
        """,
    "nth:6": "sixth, sixth one, 6th, sixth change, number six, number 6",
    "nth:7": "seventh, seventh one, 7th, seventh change, number seven, number 7",
    "nth:8": "eighth, eighth one, 8th, eighth change, number eight, number 8",
    "nth:9": "ninth, ninth one, 9th, ninth change, number nine, number 9",
    "nth:10": "tenth, tenth one, 10th, tenth change, number ten, number 10",
    "nth:-1": """
        last one, the last one, the last, last, last change, last item, last entry, last pr,
        last commit, last result, final one
        """,
    "entry": """
        item, entry, in the list, on the list, in that list, on that list, of the list, of them,
        of those, result, of that list, of this list
        """,
    "greet": """
        hi, hello, hey, hiya, howdy, greetings, good morning, good afternoon, good evening,
        good day, yo, hi there, hello there, hey there, morning, hi all, hello all, hey all
        """,
    "thanks": """
        thanks, thank you, thx, ty, thank you very much, thanks a lot, thanks a million,
        many thanks, thank you so much, cheers, much appreciated, appreciated, appreciate it,
        great, nice, awesome, perfect, cool, thanks in advance, thank u, tks, got it, good bot,
        great job, well done
        """,
    "help": """
        help, help me, usage, commands, examples, start, what can you do, what can i ask,
        what can i say, what can i do, what can you tell me, what can you answer,
        what can i ask you, how do i use this, how do i use you, how do i use it,
        how can i use this, how should i use this, how do i ask, how can i ask, how do you work,
        how does this work, who are you, what do you do, what are you, what do you know,
        how to use, how to use this, how to use this bot, what questions can i ask,
        what kind of questions, what are you able to do, manual, instructions
        """,
    "status": """
        status, bot status, your status, show status, health, your health, status of the bot,
        are you ok, are you okay, are you alive, are you there, are you up, are you working,
        are you running, are you online, next run, last run
        """,
    "privacy": """
        privacy, privacy policy, what do you keep, what do you store, what do you save,
        what do you remember, what do you send, what data do you store, what data do you keep,
        what leaves this machine, what leaves the machine, what leaves my machine,
        what leaves this computer, what leaves the server, what goes out of this machine,
        where does my data go, where does our data go, where does our code go,
        where does my code go, what do you store about me, what do you know about me,
        what do you keep about me, what do you keep about us, do you store my data,
        do you keep my data, about me
        """,
    "repl": "exit, quit",
    "they": "they, them, their, theirs, he, she, him, her, his",
}  # fmt: skip
"""Tags with their wordings."""

MISSPELT = {
    "teh": "the", "wat": "what", "wht": "what", "hte": "the", "adn": "and", "waht": "what",
    "thru": "through", "pull-request": "pr", "pull-requests": "prs", "wich": "which",
    "whcih": "which", "u": "you", "r": "are", "b4": "before", "tmrw": "tomorrow", "ppl": "people",
    "hlep": "help", "hepl": "help", "sumarize": "summarize", "chagned": "changed", "fxied": "fixed",
    "thnks": "thanks", "whos": "who's", "wk": "week", "wks": "weeks", "yday": "yesterday",
    "lst": "last", "dif": "diff", "mergd": "merged", "whn": "when",
}  # fmt: skip
"""Usual misspellings that are too short to be told by their letters."""

COMMANDS = """
    explain describe summarize summarise analyze analyse digest summary report recap overview
    changed changes change updates updated update commits commit search lookup usage commands
    happened touched modified merged landed anything compare status privacy shorter longer reviewed
    reviewers reviewer security performance feature features breaking broken deprecated deprecations
    removed added renamed default defaults dependencies dependency upgraded upgrade contributors
    contributor authors author important reverted reverts released release latest version between
    variables environment options option metrics endpoints affected wrote difference release
    highlights everything please vulnerability vulnerabilities optimizations improvements
    """
"""Words that a misspelt one is mended to."""

ADVERBS = frozenset(
    [
        "really",
        "actually",
        "simply",
        "basically",
        "currently",
        "exactly",
        "possibly",
        "probably",
        "kindly",
        "quickly",
        "even",
        "truly",
        "honestly",
        "literally",
        "specifically",
        "mainly",
        "roughly",
    ]
)
"""Words that stand inside of any wording and change nothing."""
