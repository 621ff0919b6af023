"""From one experiment to the answer: a queue of treatments, tried one after the other on a server.

In come a connected Target, a Tuner and a CampaignPlan. A treatment that is better stays and is the
next one's baseline; all others are reverted. In the end the settings that stayed are measured once
more, all together, against the server as it was at the start: only that is the headline, and where
it fails everything is reverted. Every state is durable before it is acted upon.

A canary is one treatment on several replicas: each has its turn beside the others, which are its
controls in the same windows.
"""
